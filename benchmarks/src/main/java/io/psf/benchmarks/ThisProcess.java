package io.psf.benchmarks;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Information on this JVM and its machine. */
final class ThisProcess {
    private ThisProcess() {}

    static Memory.Response memory(boolean collect) {
        if (collect) {
            System.gc();
        }
        long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        long direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
        return new Memory.Response(heap, direct, kilobytes("/proc/self/status", "VmRSS:") << 10, allocated());
    }

    private static long allocated() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        return Arrays.stream(threads.getThreadAllocatedBytes(threads.getAllThreadIds()))
                .filter(bytes -> bytes > 0) // -1 for a thread that has ended meanwhile
                .sum();
    }

    /** Returns the available memory of the machine, in bytes. */
    static long availableMemory() {
        long available = kilobytes("/proc/meminfo", "MemAvailable:") << 10;
        return available > 0
                ? available
                : ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                        .getFreeMemorySize();
    }

    /** Returns a description of the machine: cores, processor and JDK. */
    static String machine() {
        String model = lines("/proc/cpuinfo").stream()
                .filter(line -> line.startsWith("model name"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse(System.getProperty("os.arch"));
        return "%d cores, %s, %s, JDK %s (%s)"
                .formatted(
                        Runtime.getRuntime().availableProcessors(),
                        model,
                        System.getProperty("os.name"),
                        System.getProperty("java.version"),
                        System.getProperty("java.vm.name"));
    }

    private static long kilobytes(String file, String key) {
        return lines(file).stream()
                .filter(line -> line.startsWith(key))
                .map(line -> line.replaceAll("\\D", ""))
                .mapToLong(Long::parseLong)
                .findFirst()
                .orElse(0);
    }

    /** Returns the lines of a file; none if the file cannot be read. */
    static List<String> lines(String file) {
        try {
            return Files.readAllLines(Path.of(file));
        } catch (IOException e) {
            return List.of();
        }
    }
}
