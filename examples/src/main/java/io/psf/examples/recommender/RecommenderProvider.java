package io.psf.examples.recommender;

import io.psf.cli.CommandProvider;

/** Adds {@code psf recommender}. */
public final class RecommenderProvider implements CommandProvider {
    @Override
    public Object command() {
        return new RecommenderMain();
    }
}
