package io.psf.simulation;

import io.psf.cli.CommandProvider;

/** Adds {@code psf simulate}. */
public final class SimulateProvider implements CommandProvider {
    @Override
    public Object command() {
        return new SimulateCommand();
    }
}
