package io.psf.examples.convnet;

import io.psf.cli.CommandProvider;

/** Adds {@code psf convnet}. */
public final class ConvNetProvider implements CommandProvider {
    @Override
    public Object command() {
        return new ConvNetMain();
    }
}
