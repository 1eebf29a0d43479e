/**
 * A machine that runs the threads of a whole cluster one at a time, on a virtual clock. On the boot class path, since
 * rewritten classes of the JDK call it. Imports the JDK alone.
 */
@NullMarked
package io.psf.simulation.machine;

import org.jspecify.annotations.NullMarked;
