/** A Spark application as a cluster of psf: servers in its executors, and clients in its tasks. */
@NullMarked
package io.psf.spark;

import org.jspecify.annotations.NullMarked;
