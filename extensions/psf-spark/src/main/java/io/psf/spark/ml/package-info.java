/** Estimators and models of Spark ML whose parameters are on the servers. Imports psf-api, psf-builtin, the client and the functions. */
@NullMarked
package io.psf.spark.ml;

import org.jspecify.annotations.NullMarked;
