package io.psf.runtime.spi.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The memory that Linux can still give to this process: the memory of the machine, of its container and of the groups
 * around it. In a container {@code /proc/meminfo} has the memory of the machine. Immutable.
 *
 * @see <a href="https://docs.kernel.org/admin-guide/cgroup-v2.html">Control groups, version 2</a>
 */
final class SystemMemory {
    /** A limit above this is none: version 1 has a number of pages near 2^63 for it. */
    private static final long NO_LIMIT = 1L << 60;

    /**
     * The files of a version of control groups: the folder of all groups, the limit, the use, the name in the
     * statistics.
     */
    private record Version(String groups, String limit, String used, String inactive) {}

    private static final Version ONE = new Version(
            "sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file");
    private static final Version TWO = new Version("sys/fs/cgroup", "memory.max", "memory.current", "inactive_file");

    private final Path root;

    /**
     * Creates a view of a system.
     *
     * @param root the folder that has {@code proc} and {@code sys}
     */
    SystemMemory(Path root) {
        this.root = root;
    }

    /**
     * Returns the bytes that the system can give without swapping. Caches of files that it would drop count as free.
     *
     * @return {@link Long#MAX_VALUE} on a system that does not say it
     */
    long available() {
        long kilobytes = number(root.resolve("proc/meminfo"), "MemAvailable:");
        long ofMachine = kilobytes == Long.MAX_VALUE ? kilobytes : kilobytes << 10;
        return Math.min(ofMachine, Math.min(ofGroups(ONE), ofGroups(TWO)));
    }

    /** Returns the least bytes that are left to the group of this process, and to those around it. */
    private long ofGroups(Version version) {
        Path all = root.resolve(version.groups());
        Path group = all.resolve(own(version)).normalize();
        long least = left(all, version);
        for (; group.startsWith(all) && !group.equals(all); group = Objects.requireNonNull(group.getParent())) {
            least = Math.min(least, left(group, version));
        }
        return least;
    }

    /**
     * Returns the path of the group of this process, below the folder of all groups. A container may see its own group
     * as that folder, and the path of the machine here.
     */
    private String own(Version version) {
        String controllers = version.equals(TWO) ? "" : "memory";
        return lines(root.resolve("proc/self/cgroup")).stream()
                .map(line -> line.split(":", 3))
                .filter(parts ->
                        parts.length == 3 && List.of(parts[1].split(",")).contains(controllers))
                .map(parts -> parts[2].substring(1))
                .findFirst()
                .orElse("");
    }

    private static long left(Path group, Version version) {
        long limit = number(group.resolve(version.limit()), "");
        if (limit >= NO_LIMIT) {
            return Long.MAX_VALUE;
        }
        long used = number(group.resolve(version.used()), "");
        long dropped = number(group.resolve("memory.stat"), version.inactive() + " ");
        return used == Long.MAX_VALUE
                ? limit
                : Math.max(0, limit - Math.max(0, used - (dropped == Long.MAX_VALUE ? 0 : dropped)));
    }

    /** Returns the number in the line of a file that begins so; {@link Long#MAX_VALUE} without one. */
    private static long number(Path file, String begin) {
        try {
            return lines(file).stream()
                    .filter(line -> line.startsWith(begin))
                    .mapToLong(line -> Long.parseLong(
                            line.substring(begin.length()).replace("kB", "").strip()))
                    .findFirst()
                    .orElse(Long.MAX_VALUE);
        } catch (NumberFormatException e) {
            return Long.MAX_VALUE; // "max", which is no limit
        }
    }

    /** Returns the lines of a file; none if it cannot be read. */
    private static List<String> lines(Path file) {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.toList();
        } catch (IOException | UncheckedIOException e) {
            return List.of();
        }
    }
}
