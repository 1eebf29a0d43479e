/** Matrix factorization on MovieLens, with caches of the rows of users and movies on each worker. */
@NullMarked
package io.psf.examples.movielens;

import org.jspecify.annotations.NullMarked;
