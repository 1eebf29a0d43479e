package io.psf.examples.spark;

import io.psf.cli.CommandProvider;

/** Adds {@code psf spark-demo}. */
public final class SparkDemoProvider implements CommandProvider {
    @Override
    public Object command() {
        return new SparkDemo();
    }
}
