package io.psf.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Builds the command line of a psf JVM. The flags are in {@code jvm.options}, which the script reads, too. */
final class NodeJvm {
    /** The environment variable with the user's flags, separated by spaces. They override psf's flags. */
    static final String OPTIONS = "PSF_JAVA_OPTS";

    /** The environment variable that configures the allocator of glibc; ignored by other C libraries. */
    static final String ALLOCATOR = "GLIBC_TUNABLES";

    /** Puts tensors on huge pages, so that random access to rows causes far fewer TLB misses. */
    static final String HUGE_PAGES = "glibc.malloc.hugetlb=1";

    private static final long LEAST_DIRECT = 256L << 20;

    private NodeJvm() {}

    /** Returns the command that runs {@code psf} in a JVM like this one. */
    static List<String> command(String classPath, List<String> moreFlags, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(java());
        command.addAll(flags());
        command.addAll(moreFlags);
        command.add("-cp");
        command.add(classPath);
        command.add(Main.class.getName());
        command.addAll(List.of(arguments));
        return command;
    }

    /** Returns the path of the {@code java} program of this JVM. */
    static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    static List<String> flags() {
        List<String> flags = new ArrayList<>();
        fromOptions().lines().map(String::strip).filter(NodeJvm::isFlag).forEach(flags::add);
        flags.add("-XX:MaxDirectMemorySize=" + Math.max(LEAST_DIRECT, physicalMemory() / 2));
        String own = System.getenv(OPTIONS);
        if (own != null && !own.isBlank()) {
            flags.addAll(List.of(own.strip().split("\\s+")));
        }
        return flags;
    }

    private static boolean isFlag(String line) {
        return !line.isEmpty() && !line.startsWith("#");
    }

    private static String fromOptions() {
        try (InputStream options =
                Objects.requireNonNull(NodeJvm.class.getResourceAsStream("jvm.options"), "jvm.options")) {
            return new String(options.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long physicalMemory() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system
                ? system.getTotalMemorySize()
                : Runtime.getRuntime().maxMemory();
    }
}
