package io.psf.cli;

import io.psf.api.PsException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.module.ModuleFinder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Builds the command line of a psf JVM. The flags are in {@code jvm.options}, which the script reads, too. */
final class NodeJvm {
    /** The environment variable with the user's flags, separated by spaces. They override psf's flags. */
    static final String OPTIONS = "PSF_JAVA_OPTS";

    /** The environment variable that configures the allocator of glibc; ignored by other C libraries. */
    static final String ALLOCATOR = "GLIBC_TUNABLES";

    /** Puts tensors on huge pages, so that random access to rows causes far fewer TLB misses. */
    static final String HUGE_PAGES = "glibc.malloc.hugetlb=1";

    /** The environment variable that enables or disables the vectors of the optimizers on servers: on or off. */
    static final String VECTORS = "PSF_VECTORS";

    /** The line that the JVM prints on its standard error if it has the module of the vectors. */
    static final String VECTORS_WARNING = "WARNING: Using incubator modules: jdk.incubator.vector";

    /** The program, by its name: a dependency on it would be one on all commands. */
    private static final String MAIN = "io.psf.cli.Main";

    private static final String VECTORS_MODULE = "jdk.incubator.vector";

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
        command.add(MAIN);
        command.addAll(List.of(arguments));
        return command;
    }

    /**
     * Returns the command that runs a scheduler or a server.
     *
     * @param moreFlags flags that override psf's and the user's
     * @param environment the variables of the node beyond the variables of this process
     */
    static List<String> node(String role, String classPath, List<String> moreFlags, Map<String, String> environment) {
        List<String> flags = new ArrayList<>();
        if (role.equals("server")) {
            String vectors = environment.get(VECTORS);
            flags.addAll(serverFlags(vectors == null ? System.getenv(VECTORS) : vectors));
        }
        flags.addAll(moreFlags);
        return command(classPath, flags, "node", "--role", role);
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

    /** Returns the flags of a server's JVM beyond the flags of every psf JVM: the module of the vectors. */
    static List<String> serverFlags(@Nullable String vectors) {
        return serverFlags(vectors, Runtime.version().feature(), ModuleFinder.ofSystem());
    }

    /**
     * Returns the flags of a server's JVM, the module of the vectors. A JVM does not start with a module that it does
     * not have.
     *
     * @param vectors the value of {@link #VECTORS}; null for the default
     * @param release the release of the JDK
     * @param modules the modules of the JDK
     * @throws PsException with {@code CONFIGURATION} if the value is neither on nor off
     */
    static List<String> serverFlags(@Nullable String vectors, int release, ModuleFinder modules) {
        boolean enabled = switch (vectors == null ? "" : vectors.toLowerCase(Locale.ROOT)) {
            case "" -> release < 18 || release > 21; // as in the script
            case "on" -> true;
            case "off" -> false;
            default ->
                throw new PsException(
                        PsException.Code.CONFIGURATION, VECTORS + ": " + vectors + " (expected: on or off)");
        };
        return enabled && modules.find(VECTORS_MODULE).isPresent()
                ? List.of("--add-modules=" + VECTORS_MODULE)
                : List.of();
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
