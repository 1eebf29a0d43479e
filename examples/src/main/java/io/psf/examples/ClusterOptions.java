package io.psf.examples;

import picocli.CommandLine.Option;

/** The options of an example that starts a cluster: how many nodes. */
public final class ClusterOptions {
    @Option(
            names = "--workers",
            paramLabel = "N",
            converter = Count.class,
            description = "how many workers (default: ${DEFAULT-VALUE})")
    private int workers;

    @Option(
            names = "--servers",
            paramLabel = "N",
            converter = Count.class,
            description = "how many servers (default: ${DEFAULT-VALUE})")
    private int servers;

    /** Creates the options with their defaults. */
    public ClusterOptions(int servers, int workers) {
        this.servers = servers;
        this.workers = workers;
    }

    public int workers() {
        return workers;
    }

    public int servers() {
        return servers;
    }
}
