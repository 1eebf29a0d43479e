/**
 * The command line. {@link io.psf.cli.Main} runs a node or a whole job on this machine. {@link io.psf.cli.LocalJob}
 * runs a job from programs and tests. Imports the runtime's configuration and roles, never the packages below them.
 */
@NullMarked
package io.psf.cli;

import org.jspecify.annotations.NullMarked;
