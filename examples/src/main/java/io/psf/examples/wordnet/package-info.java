/** WordNet's graph on the servers: its neighbours are drawn there. */
@NullMarked
package io.psf.examples.wordnet;

import org.jspecify.annotations.NullMarked;
