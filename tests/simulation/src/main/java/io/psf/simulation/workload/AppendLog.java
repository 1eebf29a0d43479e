package io.psf.simulation.workload;

import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Worker;
import io.psf.simulation.fault.Faults;
import io.psf.simulation.world.Fault;
import io.psf.simulation.world.Shape;
import io.psf.simulation.world.Violation;
import io.psf.simulation.world.Workload;
import io.psf.simulation.world.World;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Workers append numbers to the logs of all slices, several at a time. A log has each acknowledged number once, none
 * twice, and the numbers of one worker ascend.
 */
public final class AppendLog implements Workload {
    private static @Nullable AppendLog current;

    /** The numbers of a worker in the log of a slice. */
    private record Place(int slice, int worker) {}

    private final Map<Integer, List<Integer>> acknowledged = new TreeMap<>();
    private final Map<String, List<Integer>> logs = new TreeMap<>();

    public AppendLog() {
        current = this;
    }

    static AppendLog current() {
        if (current == null) {
            throw new IllegalStateException("append log: none");
        }
        return current;
    }

    void appended(int slice, int worker, int number) {
        logs.computeIfAbsent(new Place(slice, worker).toString(), any -> new ArrayList<>())
                .add(number);
    }

    @Override
    public String name() {
        return "append-log";
    }

    @Override
    public Shape shape(SplittableRandom random) {
        return Shape.draw(random, random.nextBoolean() ? Shape.Recovery.JOURNAL : Shape.Recovery.NONE);
    }

    @Override
    public List<Fault.Kind> faults(Shape shape) {
        return Faults.of(Faults.HARMLESS, Faults.ofScheduler(shape), Faults.LOSSES);
    }

    @Override
    public void run(World world) throws Exception {
        int slices = world.shape().servers() + world.random("slices").nextInt(4);
        int window = 1 + world.random("window").nextInt(12);
        TensorId log = Tensors.init(
                world.workers().get(0).get(),
                TensorSpec.dense("log", 8L * slices).slices(slices));
        List<List<Integer>> own = new ArrayList<>();
        for (int rank = 0; rank < world.workers().size(); rank++) {
            own.add(new ArrayList<>());
            acknowledged.put(rank, own.get(rank));
        }
        Team.run(world, (rank, worker) -> append(world, worker, log, window, own.get(rank)));
        check(slices);
    }

    private static void append(World world, Worker worker, TensorId log, int window, List<Integer> own)
            throws InterruptedException {
        AppendPsf.Stub stub = AppendPsf.stub(worker);
        SplittableRandom random = world.random("calls of " + worker.rank());
        Deque<Pending<?>> sent = new ArrayDeque<>();
        for (int number = 0; number < world.calls(); number++) {
            world.think();
            // A priority does not change the order of one worker's calls.
            int micros = random.nextInt(4) == 0 ? 1 + random.nextInt(2_000) : 0;
            sent.add(stub.withPriority(random.nextInt(3)).call(log, number, micros));
            if (sent.size() > window) {
                sent.remove().await();
                own.add(number - window);
            }
        }
        for (int number = own.size(); !sent.isEmpty(); number++) {
            sent.remove().await();
            own.add(number);
        }
    }

    private void check(int slices) {
        acknowledged.forEach((worker, numbers) -> {
            for (int slice = 0; slice < slices; slice++) {
                Place place = new Place(slice, worker);
                List<Integer> log = logs.getOrDefault(place.toString(), List.of());
                for (int at = 0; at + 1 < log.size(); at++) {
                    if (log.get(at) >= log.get(at + 1)) {
                        throw new Violation(place + ": " + log.get(at + 1) + " after " + log.get(at)
                                + " (expected: each number once, ascending)");
                    }
                }
                if (!log.containsAll(numbers)) {
                    throw new Violation(place + ": " + log + " (expected: all of " + numbers + ")");
                }
            }
        });
    }
}
