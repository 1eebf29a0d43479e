/** The rate of log messages. Imports the JDK alone. */
@NullMarked
package io.psf.runtime.internal.log;

import org.jspecify.annotations.NullMarked;
