package io.psf.benchmarks;

import io.psf.cli.CommandProvider;

/** Adds {@code psf bench}. */
public final class BenchProvider implements CommandProvider {
    @Override
    public Object command() {
        return new BenchCommand();
    }
}
