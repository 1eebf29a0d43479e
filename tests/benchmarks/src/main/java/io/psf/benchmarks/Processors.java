package io.psf.benchmarks;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The processors that the benchmark may run on.
 *
 * @param numbers the processors' numbers; empty if unknown
 * @param canPin true if {@code taskset} is on the path
 */
record Processors(List<Integer> numbers, boolean canPin) {
    /** The environment variable that passes all of the benchmark's processors to pinned processes. */
    private static final String ALL = "PSF_BENCH_PROCESSORS";

    private static final Processors HERE = find();

    static Processors here() {
        return HERE;
    }

    private static Processors find() {
        boolean canPin = Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "taskset")));
        String all = System.getenv(ALL);
        List<Integer> numbers = all != null
                ? parse(all)
                : ThisProcess.lines("/proc/self/status").stream()
                        .filter(line -> line.startsWith("Cpus_allowed_list:"))
                        .findFirst()
                        .map(line -> parse(line.substring(line.indexOf(':') + 1).strip()))
                        .orElse(List.of());
        return new Processors(numbers, canPin && !numbers.isEmpty());
    }

    /** Parses a list such as {@code 0-3,8}. */
    static List<Integer> parse(String list) {
        List<Integer> numbers = new ArrayList<>();
        for (String range : list.split(",", -1)) {
            String[] ends = range.strip().split("-", -1);
            int last = Integer.parseInt(ends[ends.length - 1]);
            for (int n = Integer.parseInt(ends[0]); n <= last; n++) {
                numbers.add(n);
            }
        }
        return List.copyOf(numbers);
    }

    /** Returns the environment for processes that may be pinned: the list of all processors. */
    Map<String, String> environment() {
        return numbers.isEmpty()
                ? Map.of()
                : Map.of(ALL, numbers.stream().map(String::valueOf).collect(Collectors.joining(",")));
    }

    /** Returns the command prefix that runs a program on the i-th processor. */
    List<String> pin(int i) {
        return List.of("taskset", "-c", Integer.toString(numbers.get(i)));
    }
}
