package io.psf.examples.demo;

import io.psf.cli.CommandProvider;

/** Adds {@code psf demo}. */
public final class DemoProvider implements CommandProvider {
    @Override
    public Object command() {
        return new DemoCommand();
    }
}
