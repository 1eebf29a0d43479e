/**
 * The roles of a cluster, and the code that connects the packages below: {@link io.psf.runtime.Worker}, {@link
 * io.psf.runtime.Server}, {@link io.psf.runtime.Scheduler}, and {@link io.psf.runtime.PsCluster} for all of them in one
 * JVM.
 */
@NullMarked
package io.psf.runtime;

import org.jspecify.annotations.NullMarked;
