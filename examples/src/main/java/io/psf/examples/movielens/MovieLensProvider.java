package io.psf.examples.movielens;

import io.psf.cli.CommandProvider;

/** Adds {@code psf movielens}. */
public final class MovieLensProvider implements CommandProvider {
    @Override
    public Object command() {
        return new MovieLensMain();
    }
}
