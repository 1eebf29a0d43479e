package io.psf.examples;

import io.psf.cli.LocalJob;
import io.psf.cli.LocalJobBuilder;
import picocli.CommandLine.Option;

/** The options of an example that starts a cluster: how many nodes, and whether they are shown in the browser. */
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

    @Option(
            names = "--dashboard",
            description = "a page in the browser that shows the training, at an address that is printed")
    private boolean dashboard;

    /** Creates the options with their defaults. */
    public ClusterOptions(int servers, int workers) {
        this.servers = servers;
        this.workers = workers;
    }

    /** Returns the plan of a job of these nodes. */
    public LocalJobBuilder job() {
        LocalJobBuilder job = LocalJob.builder().servers(servers).workers(workers);
        return dashboard ? job.dashboard() : job;
    }

    /** True if the nodes are to be shown in the browser. */
    public boolean hasDashboard() {
        return dashboard;
    }

    public int workers() {
        return workers;
    }

    public int servers() {
        return servers;
    }
}
