package io.psf.examples.plot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What a training ran on, as the subtitle of a picture says it. */
public final class Machine {
    private static final Path PROCESSORS = Path.of("/proc/cpuinfo");

    private Machine() {}

    /** Returns the subtitle of a job's picture, such as {@code Xeon, 2 processors; 2 workers, 1 server}. */
    public static String with(int workers, int servers) {
        return processor() + ", " + number(Runtime.getRuntime().availableProcessors(), "processor") + "; "
                + number(workers, "worker") + ", " + number(servers, "server");
    }

    private static String number(int n, String what) {
        return n + " " + what + (n == 1 ? "" : "s");
    }

    /** Returns the name of the processor, or of its architecture where Linux does not say it. */
    private static String processor() {
        try (Stream<String> lines = Files.lines(PROCESSORS)) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElseGet(Machine::architecture);
        } catch (IOException e) {
            return architecture();
        }
    }

    private static String architecture() {
        return System.getProperty("os.arch", "unknown processor");
    }
}
