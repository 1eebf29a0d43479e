package io.psf.gpu;

import io.psf.gpu.onhost.Cpp;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * The kernels of psf.cu, compiled as C++ and executed by a process on the host. Buffers belong to the process and end
 * with it. Each launch checks that no kernel has written outside a buffer.
 */
final class HostKernels implements AutoCloseable {
    private final Process process;
    private final OutputStream out;
    private final InputStream in;
    private final Order order;
    private final long seed;

    private static final int BLOCKS = 3;

    /** The threads of a launch, at most. */
    static final int THREADS = BLOCKS * 16;

    /** The order in which the threads of a launch are executed. */
    enum Order {
        FORWARD,
        BACKWARD,
        SHUFFLED,
        /** Another thread may continue before and after each atomic operation. */
        INTERLEAVED
    }

    private static final class Program {
        static final Path BUILT = Cpp.build(
                "kernels",
                List.of(),
                List.of(Cpp.sources().resolve("host.cpp"), Cpp.sources().resolve("threads.cpp")),
                List.of(Path.of("src", "main", "cuda", "psf.cu")),
                () -> "");
    }

    /** Starts a process. The test is skipped if this machine has no C++ compiler. */
    HostKernels(Order order, long seed) {
        Cpp.assumeCompiler();
        try {
            this.process = new ProcessBuilder(Program.BUILT.toString())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.out = process.getOutputStream();
        this.in = process.getInputStream();
        this.order = order;
        this.seed = seed;
    }

    /** Allocates zeros. Returns their address, a multiple of 256. */
    long allocate(long bytes) {
        send(command('a', 8).putLong(bytes));
        return receive(8).getLong();
    }

    /** Allocates a copy of an array. */
    long copy(int... values) {
        ByteBuffer bytes = ordered(4 * values.length);
        bytes.asIntBuffer().put(values);
        return copy(bytes);
    }

    /** Allocates a copy of an array. */
    long copy(long... values) {
        ByteBuffer bytes = ordered(8 * values.length);
        bytes.asLongBuffer().put(values);
        return copy(bytes);
    }

    /** Allocates a copy of an array. */
    long copy(float... values) {
        ByteBuffer bytes = ordered(4 * values.length);
        bytes.asFloatBuffer().put(values);
        return copy(bytes);
    }

    /** Allocates a copy of an array. */
    long copy(double... values) {
        ByteBuffer bytes = ordered(8 * values.length);
        bytes.asDoubleBuffer().put(values);
        return copy(bytes);
    }

    private long copy(ByteBuffer bytes) {
        long address = allocate(bytes.capacity());
        write(address, bytes);
        return address;
    }

    void write(long address, int... values) {
        ByteBuffer bytes = ordered(4 * values.length);
        bytes.asIntBuffer().put(values);
        write(address, bytes);
    }

    private void write(long address, ByteBuffer bytes) {
        send(command('w', 16 + bytes.capacity())
                .putLong(address)
                .putLong(bytes.capacity())
                .put(bytes.rewind()));
    }

    int[] ints(long address, int n) {
        int[] values = new int[n];
        read(address, 4L * n).asIntBuffer().get(values);
        return values;
    }

    long[] longs(long address, int n) {
        long[] values = new long[n];
        read(address, 8L * n).asLongBuffer().get(values);
        return values;
    }

    double[] doubles(long address, int n) {
        double[] values = new double[n];
        read(address, 8L * n).asDoubleBuffer().get(values);
        return values;
    }

    float[] floats(long address, int n) {
        float[] values = new float[n];
        read(address, 4L * n).asFloatBuffer().get(values);
        return values;
    }

    private ByteBuffer read(long address, long bytes) {
        send(command('r', 16).putLong(address).putLong(bytes));
        return receive((int) bytes);
    }

    /** Executes a kernel of which each thread takes the items of its own. */
    void launch(String kernel, Object... arguments) {
        launch(BLOCKS, THREADS / BLOCKS, kernel, arguments);
    }

    private void launch(int blocks, int threads, String kernel, Object... arguments) {
        StringBuilder types = new StringBuilder();
        long[] bits = new long[arguments.length];
        for (int i = 0; i < bits.length; i++) {
            types.append(type(arguments[i]));
            bits[i] = bits(arguments[i]);
        }
        launch(blocks, threads, kernel, types.toString(), bits);
    }

    /**
     * Executes a kernel. With barriers, a block has one thread, since they need threads that are executed at the same
     * time; they are if the order is {@link Order#INTERLEAVED}.
     */
    void launch(String kernel, String types, boolean hasBarriers, long[] bits) {
        launch(BLOCKS, !hasBarriers ? THREADS / BLOCKS : order == Order.INTERLEAVED ? 4 : 1, kernel, types, bits);
    }

    private void launch(int blocks, int threads, String kernel, String types, long[] bits) {
        ByteBuffer command = command('l', 512 + 8 * bits.length);
        string(string(command, kernel), types);
        for (long each : bits) {
            command.putLong(each);
        }
        send(command.putInt(blocks).putInt(threads).putInt(order.ordinal()).putLong(seed));
        String error =
                StandardCharsets.US_ASCII.decode(receive(receive(4).getInt())).toString();
        if (!error.isEmpty()) {
            throw new IllegalStateException(error);
        }
    }

    private static char type(Object argument) {
        return argument instanceof Integer
                ? 'i'
                : argument instanceof Long ? 'l' : argument instanceof Float ? 'f' : 'd';
    }

    private static long bits(Object argument) {
        if (argument instanceof Float value) {
            return Float.floatToRawIntBits(value);
        }
        return argument instanceof Double value ? Double.doubleToRawLongBits(value) : ((Number) argument).longValue();
    }

    private static ByteBuffer string(ByteBuffer bytes, String text) {
        return bytes.putInt(text.length()).put(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static ByteBuffer command(char command, int bytes) {
        return ordered(1 + bytes).put((byte) command);
    }

    private static ByteBuffer ordered(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.nativeOrder());
    }

    private void send(ByteBuffer bytes) {
        try {
            Channels.newChannel(out).write(bytes.flip());
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ByteBuffer receive(int n) {
        try {
            return ByteBuffer.wrap(in.readNBytes(n)).order(ByteOrder.nativeOrder());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        process.destroy();
    }
}
