package io.psf.simulation.world;

import io.psf.simulation.machine.NodeThreads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Threads of a workload, each on a node. */
public final class Tasks {
    /** What a thread of a workload does. */
    @FunctionalInterface
    public interface Body {
        void run() throws Exception;
    }

    private record Task(NodeThreads node, CompletableFuture<Void> done, Thread thread) {
        boolean isOver() {
            return done.isDone() || node.isKilled();
        }
    }

    private final List<Task> tasks = new ArrayList<>();

    /** Runs a body on a thread of a node. */
    public void on(NodeThreads node, Body body) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread thread = node.start("workload", () -> {
            try {
                body.run();
                done.complete(null);
            } catch (Throwable e) {
                done.completeExceptionally(e);
            }
        });
        tasks.add(new Task(node, done, thread));
    }

    /** True if all threads have ended, except the threads of killed nodes. */
    public boolean isDone() {
        return tasks.stream().allMatch(Task::isOver);
    }

    /** Interrupts all threads, and forgets them. */
    public void stop() {
        tasks.forEach(each -> each.thread.interrupt());
        tasks.clear();
    }

    /**
     * Waits for all threads, except the threads of killed nodes. Throws the first failure. Tasks may be added
     * meanwhile.
     */
    public void await() throws InterruptedException {
        for (int i = 0; i < tasks.size(); i++) {
            Task each = tasks.get(i);
            while (!each.isOver()) {
                Thread.sleep(10);
            }
            if (each.done.isCompletedExceptionally()) {
                try {
                    each.done.join();
                } catch (CompletionException e) {
                    throw e.getCause() instanceof Violation known
                            ? known
                            : new Violation("workload on " + each.node.name() + ": failed", e.getCause());
                }
            }
        }
    }
}
