/** Programs on Spark, whose executors have the parameter servers. */
@NullMarked
package io.psf.examples.spark;

import org.jspecify.annotations.NullMarked;
