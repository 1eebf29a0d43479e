/** Functions of the models, which run on the servers. Imports psf-api. */
@NullMarked
package io.psf.spark.ml.functions;

import org.jspecify.annotations.NullMarked;
