/** Checkpoints on Hadoop's file systems: HDFS, and those whose jars are on the class path. */
@NullMarked
package io.psf.hadoop;

import org.jspecify.annotations.NullMarked;
