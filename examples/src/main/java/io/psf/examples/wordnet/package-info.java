/** WordNet's graph on the servers, which also sample neighbours. */
@NullMarked
package io.psf.examples.wordnet;

import org.jspecify.annotations.NullMarked;
