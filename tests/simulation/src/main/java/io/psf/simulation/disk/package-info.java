/**
 * A disk in memory, as a file system of {@code java.nio.file}: nodes get its paths in their configuration. Imports the
 * machine alone.
 */
@NullMarked
package io.psf.simulation.disk;

import org.jspecify.annotations.NullMarked;
