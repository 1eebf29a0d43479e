package io.psf.examples.spark;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code psf spark-demo}. */
@Command(
        name = "spark-demo",
        description = {
            "Runs a program on a Spark of this machine, whose executors are processes of their own and have the servers.",
            "An executor is killed in the middle: counts of events by a PS function of one's own, a model of clicks by",
            "logistic regression, or vectors of words. The program mllib compares logistic regression with Spark's own,",
            "and with a program of one thread."
        },
        mixinStandardHelpOptions = true)
final class SparkDemo implements Callable<Integer> {
    /** The programs. */
    enum Program {
        counts,
        clicks,
        words,
        mllib
    }

    @Option(
            names = "--program",
            defaultValue = "counts",
            split = ",",
            description = "of ${COMPLETION-CANDIDATES}; default: ${DEFAULT-VALUE}")
    private Program[] programs = {};

    @Option(
            names = "--executors",
            defaultValue = "2",
            description = "0 for none: one process runs all, and nothing is killed; default: ${DEFAULT-VALUE}")
    private int executors;

    @Option(
            names = "--memory",
            defaultValue = "1024",
            description = "megabytes of an executor; default: ${DEFAULT-VALUE}")
    private int memory;

    @Option(names = "--rows", defaultValue = "200000", description = "rows of data; default: ${DEFAULT-VALUE}")
    private long rows;

    @Option(
            names = "--widths",
            defaultValue = "10,17,20",
            split = ",",
            description = "powers of 2: features of the program mllib; default: ${DEFAULT-VALUE}")
    private int[] widths = {};

    @Option(names = "--no-kill", description = "no executor is killed")
    private boolean isQuiet;

    @Override
    public Integer call() throws Exception {
        boolean kills = !isQuiet && executors > 0;
        for (Program program : programs) {
            switch (program) {
                case counts -> run(program, spark -> Counts.run(spark, 10 * rows, kills));
                case clicks -> run(program, spark -> ClickModel.run(spark, 2 * rows, kills));
                case words -> run(program, spark -> Words.run(spark, rows / 4, kills));
                case mllib -> {
                    for (int width : widths) {
                        compare(width);
                    }
                }
            }
        }
        return 0;
    }

    private void compare(int width) throws Exception {
        Map<Learner, List<Fit>> fits = new EnumMap<>(Learner.class);
        for (Learner learner : Learner.values()) {
            run(Program.mllib, spark -> fits.put(learner, BesideMllib.run(spark, learner, rows, width)));
        }
        BesideMllib.compare(width, fits);
    }

    private void run(Program program, Work work) throws Exception {
        try (DemoSpark spark = DemoSpark.start("psf-" + program, executors, memory)) {
            spark.say(program + (executors == 0 ? "" : ", on " + executors + " executors of " + memory + " MB"));
            work.run(spark);
        }
    }

    /** What a program does with Spark. */
    @FunctionalInterface
    private interface Work {
        void run(DemoSpark spark) throws Exception;
    }
}
