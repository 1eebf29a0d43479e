package io.psf.benchmarks;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Information on this JVM and its machine. */
final class ThisProcess {
    private ThisProcess() {}

    static Memory.Response memory(boolean collect) {
        if (collect) {
            System.gc();
            awaitFreed();
        }
        long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        long direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
        return new Memory.Response(heap, direct, resident(), allocated());
    }

    /** Waits until the cleaner has freed the memory that the collection found unreachable. */
    private static void awaitFreed() {
        long resident = resident();
        for (int i = 0; i < 50; i++) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            long now = resident();
            if (now > resident - (1 << 20)) {
                return;
            }
            resident = now;
        }
    }

    private static long resident() {
        return kilobytes("/proc/self/status", "VmRSS:") << 10;
    }

    private static long allocated() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        return Arrays.stream(threads.getThreadAllocatedBytes(threads.getAllThreadIds()))
                .filter(bytes -> bytes > 0) // -1 for a thread that has ended meanwhile
                .sum();
    }

    /** Returns the memory of the machine or container, in bytes. */
    static long memoryOfMachine() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getTotalMemorySize();
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
        return String.format(
                Locale.ROOT,
                "%d cores, %s, %s, JDK %s (%s)",
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
