package io.psf.examples.lenet;

import io.psf.cli.CommandProvider;

/** Adds {@code psf lenet}. */
public final class LeNetProvider implements CommandProvider {
    @Override
    public Object command() {
        return new LeNetMain();
    }
}
