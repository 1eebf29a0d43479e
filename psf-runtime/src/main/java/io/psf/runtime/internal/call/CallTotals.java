package io.psf.runtime.internal.call;

import io.psf.api.CallListener;
import io.psf.api.CallPart;
import io.psf.api.PsException;
import io.psf.api.spi.NodeReport;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts what the calls of a node take, by function, and how long threads are blocked for them: what tells a node's own
 * work from its waiting. Thread-safe.
 */
public final class CallTotals implements CallListener {
    private final Map<String, Counters> functions = new ConcurrentHashMap<>();
    /** What each thread waits for now, and since when. */
    private final Map<Thread, Wait> waits = new ConcurrentHashMap<>();
    /** The threads that have waited for calls. */
    private final Set<Thread> callers = ConcurrentHashMap.newKeySet();

    private final LongAdder running = new LongAdder();
    private final LongAdder idle = new LongAdder();

    private final long begin = System.nanoTime();
    private final long cpuBefore = cpuNanos();
    private final long collectBefore = collectNanos();

    /** The counters of a function. */
    private static final class Counters {
        private final LongAdder calls = new LongAdder();
        private final LongAdder nanos = new LongAdder();
        private final LongAdder sent = new LongAdder();
        private final LongAdder received = new LongAdder();
        private final LongAdder awaited = new LongAdder();

        NodeReport.Calls calls(String function, long waitingNow) {
            return new NodeReport.Calls(
                    function, calls.sum(), nanos.sum(), sent.sum(), received.sum(), awaited.sum() + waitingNow);
        }
    }

    private record Wait(String function, long since) {}

    private Counters of(String function) {
        Counters there = functions.get(function); // computeIfAbsent may lock
        return there != null ? there : functions.computeIfAbsent(function, name -> new Counters());
    }

    @Override
    public void sent(CallPart part, long bytes) {
        of(part.function()).sent.add(bytes);
    }

    @Override
    public void received(CallPart part, long bytes) {
        of(part.function()).received.add(bytes);
    }

    @Override
    public void ended(CallPart call, PsException.Code outcome, long nanos) {
        Counters counters = of(call.function());
        counters.calls.increment();
        counters.nanos.add(nanos);
    }

    /** Notes that the current thread begins to wait for a call. */
    void waits(String function) {
        waits.put(Thread.currentThread(), new Wait(function, System.nanoTime()));
        callers.add(Thread.currentThread());
    }

    /** Notes that the current thread waits no more. */
    void goesOn() {
        Wait wait = waits.remove(Thread.currentThread());
        if (wait != null) {
            of(wait.function).awaited.add(System.nanoTime() - wait.since);
        }
    }

    /** Looks at what the threads do that make calls. Called regularly. */
    void sample() {
        callers.removeIf(each -> !each.isAlive());
        if (callers.stream().anyMatch(each -> !waits.containsKey(each) && each.getState() == Thread.State.RUNNABLE)) {
            running.increment();
        } else if (waits.isEmpty() && !callers.isEmpty()) {
            idle.increment();
        }
    }

    /** Returns what was counted until now, with the waits that are under way: the functions with the longest times. */
    public NodeReport report() {
        long now = System.nanoTime();
        Map<String, Long> waiting = new HashMap<>();
        waits.values().forEach(wait -> waiting.merge(wait.function, Math.max(0, now - wait.since), Long::sum));
        waiting.keySet().forEach(this::of);
        List<NodeReport.Calls> calls = functions.entrySet().stream()
                .map(each -> each.getValue().calls(each.getKey(), waiting.getOrDefault(each.getKey(), 0L)))
                .sorted(Comparator.comparingLong((NodeReport.Calls each) -> -each.awaitedNanos() - each.nanos()))
                .limit(NodeReport.MOST_FUNCTIONS)
                .toList();
        MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
        return new NodeReport(
                now - begin,
                cpuNanos() - cpuBefore,
                collectNanos() - collectBefore,
                heap.getUsed(),
                heap.getMax(),
                new NodeReport.Work(running.sum(), idle.sum()),
                calls);
    }

    private static long cpuNanos() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system
                ? Math.max(0, system.getProcessCpuTime())
                : 0;
    }

    /** Returns the time of collections, without the cycles of collectors that work beside the program. */
    private static long collectNanos() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .filter(each ->
                        !each.getName().endsWith("Cycles") && !each.getName().contains("Concurrent"))
                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                .map(millis -> TimeUnit.MILLISECONDS.toNanos(Math.max(0, millis)))
                .sum();
    }
}
