/** Map and reduce: each worker maps its portion, and the servers reduce. */
@NullMarked
package io.psf.examples.mapreduce;

import org.jspecify.annotations.NullMarked;
