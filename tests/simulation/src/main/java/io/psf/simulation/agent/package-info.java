/**
 * The agent that rewrites the classes of psf, and some of the JDK, when they are loaded. Imports {@code machine}.
 */
@NullMarked
package io.psf.simulation.agent;

import org.jspecify.annotations.NullMarked;
