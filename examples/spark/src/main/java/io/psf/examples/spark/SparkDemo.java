package io.psf.examples.spark;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code psf spark-demo}. */
@Command(
        name = "spark-demo",
        description = {
            "Runs three programs on a Spark of this machine, whose executors are processes of their own and have the",
            "servers. An executor is killed in the middle of each."
        },
        mixinStandardHelpOptions = true)
final class SparkDemo implements Callable<Integer> {
    /** The programs. */
    enum Program {
        counts
    }

    @Option(names = "--program", description = "one of ${COMPLETION-CANDIDATES}; all of them by default")
    private Program[] programs = Program.values();

    @Option(names = "--executors", defaultValue = "2", description = "default: ${DEFAULT-VALUE}")
    private int executors;

    @Option(
            names = "--memory",
            defaultValue = "1024",
            description = "megabytes of an executor; default: ${DEFAULT-VALUE}")
    private int memory;

    @Option(names = "--rows", defaultValue = "200000", description = "rows of data; default: ${DEFAULT-VALUE}")
    private long rows;

    @Option(names = "--no-kill", description = "no executor is killed")
    private boolean isQuiet;

    @Override
    public Integer call() throws Exception {
        for (Program program : programs) {
            try (DemoSpark spark = DemoSpark.start("psf-" + program, executors, memory)) {
                spark.say(program + ", on " + executors + " executors of " + memory + " MB");
                switch (program) {
                    case counts -> Counts.run(spark, 10 * rows, !isQuiet);
                }
            }
        }
        return 0;
    }
}
