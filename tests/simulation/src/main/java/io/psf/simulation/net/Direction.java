package io.psf.simulation.net;

import io.psf.runtime.spi.transport.Frame;
import io.psf.simulation.machine.Machine;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.LockSupport;

/** What one end of a connection sends: frames that arrive in order, each after a delay. */
final class Direction {
    /** Bytes under way above which the sender waits. */
    private static final int MOST = 16 << 10;

    private static final ThreadLocal<Boolean> DELIVERING = ThreadLocal.withInitial(() -> false);

    /**
     * A frame under way.
     *
     * @param bytes empty for the end of the connection
     * @param offered the bytes to report to the sender
     * @param at the virtual time of its arrival
     */
    private record Item(byte[] bytes, int offered, long at) {}

    private final SimulatedNetwork network;
    private final SimulatedChannel from;
    private final SimulatedChannel to;
    private final Deque<Item> items = new ArrayDeque<>();
    private boolean isBusy;
    private boolean isBroken;
    private int bytesUnderWay;
    private long lastAt;

    Direction(SimulatedNetwork network, SimulatedChannel from, SimulatedChannel to) {
        this.network = network;
        this.from = from;
        this.to = to;
    }

    /** True on a thread that delivers frames, which never blocks in a sending. */
    static boolean isDelivering() {
        return DELIVERING.get();
    }

    boolean isFull() {
        return bytesUnderWay > MOST;
    }

    void add(byte[] frame, int offered) {
        Machine machine = network.machine();
        machine.trace()
                .say(from.near().name(), hash(frame), () -> "sends " + to.near().name() + " " + text(frame));
        if (isBroken) {
            return; // lost as the frame before it
        } else if (network.breaks(from.near(), to.near())) {
            isBroken = true;
            from.near().start("network", () -> from.breakDown("reset by the network"));
            return;
        }
        bytesUnderWay += frame.length;
        add(new Item(frame, offered, machine.now() + network.delay()));
    }

    private void add(Item item) {
        lastAt = Math.max(lastAt, item.at);
        items.add(new Item(item.bytes, item.offered, lastAt));
        if (!isBusy) {
            isBusy = true;
            to.near().start("reader of " + from.near().name(), this::deliver);
        }
    }

    /** Ends the connection behind the frames that are under way, or in their place. */
    void close() {
        if (network.random().nextBoolean()) {
            drop();
        }
        add(new Item(new byte[0], 0, network.machine().now() + network.delay()));
    }

    /** Loses what is under way. */
    void drop() {
        items.clear();
        bytesUnderWay = 0;
    }

    /** Runs on a thread of the receiving node. */
    private void deliver() {
        DELIVERING.set(true);
        for (Item next = items.peek(); next != null; next = items.peek()) {
            long left = next.at - network.machine().now();
            if (left > 0) {
                LockSupport.parkNanos(this, left);
            } else if (!network.arrives(from.near(), to.near())) {
                network.awaitChange();
            } else {
                items.remove();
                bytesUnderWay = Math.max(0, bytesUnderWay - next.bytes.length);
                arrived(next);
            }
        }
        isBusy = false;
    }

    private void arrived(Item item) {
        if (item.bytes.length == 0) {
            to.breakDown("closed by the peer");
            return;
        }
        to.deliver(item.bytes);
        if (!from.near().isKilled() && from.near().isRunning()) {
            from.sent(item.offered);
        } else if (!from.near().isKilled()) {
            from.near().start("network", () -> from.sent(item.offered));
        }
    }

    private static long hash(byte[] frame) {
        Frame read = Frame.of(ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN));
        return read.call() * 7 + read.kind().ordinal() + frame.length * 31L + read.function();
    }

    private static String text(byte[] frame) {
        Frame read = Frame.of(ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN));
        return switch (read.kind()) {
            case REQUEST ->
                "request " + read.call() + " of " + FunctionNames.of(read.function()) + ", slice " + read.slice()
                        + (read.attempt() > 0 ? ", again" : "");
            case ANSWER -> "the answer to " + read.call() + ": " + read.status();
            case CHAIN -> "a chain of " + read.requestCount() + " requests";
            case DONE -> "that the calls below " + read.call() + " are done";
            default -> "a frame " + read.kind();
        };
    }
}
