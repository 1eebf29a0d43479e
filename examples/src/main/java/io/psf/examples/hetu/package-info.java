/** The smallest program of Hetu's users: a worker, a server and a scheduler, each a program of its own. */
@NullMarked
package io.psf.examples.hetu;

import org.jspecify.annotations.NullMarked;
