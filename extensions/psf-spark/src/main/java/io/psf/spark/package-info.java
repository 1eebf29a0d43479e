/** A Spark application as a cluster of psf: servers in its executors, clients in its tasks, and estimators. */
@NullMarked
package io.psf.spark;

import org.jspecify.annotations.NullMarked;
