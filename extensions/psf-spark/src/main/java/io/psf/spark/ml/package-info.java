/** Estimators of Spark ML whose weights are on the servers. */
@NullMarked
package io.psf.spark.ml;

import org.jspecify.annotations.NullMarked;
