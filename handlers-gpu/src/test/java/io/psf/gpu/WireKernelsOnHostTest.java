package io.psf.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.array.ArrayMemory;
import io.psf.api.array.FloatArray;
import io.psf.api.array.FloatType;
import io.psf.api.spi.TupleWriter;
import io.psf.gpu.HostKernels.Order;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The kernels that convert to the formats of the wire, executed on the host: their bits are those of the codec. */
class WireKernelsOnHostTest {
    private static final int[] WIDTHS = {1, 3, 7, 8, 64, 300};

    /** Returns values of all magnitudes; some blocks have zeros alone, tiny values, or one that is not finite. */
    private static float[] values(Random random, int n, int block) {
        float[] values = new float[n];
        for (int begin = 0; begin < n; begin += block) {
            int kind = random.nextInt(8);
            int end = Math.min(n, begin + block);
            for (int i = begin; i < end; i++) {
                values[i] = switch (kind) {
                    case 0 -> 0;
                    case 1 -> Float.intBitsToFloat(random.nextInt(1 << 23) | random.nextInt() << 31); // subnormal
                    case 2 -> (float) (random.nextGaussian() * 1e-36);
                    case 3 -> (float) (random.nextGaussian() * 1e30);
                    case 4 -> (random.nextInt(255) - 127) * 0.5f;
                    default -> (float) random.nextGaussian();
                };
            }
            if (kind >= 6) {
                values[begin + random.nextInt(end - begin)] =
                        new float[] {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY}[random.nextInt(3)];
            }
        }
        return values;
    }

    /** Returns the bytes of values on the wire. */
    private static byte[] onTheWire(float[] values, int width, FloatType type) {
        TupleWriter out = new TupleWriter();
        out.ofTensor(new TensorInfo(TensorId.of("w"), 1, width));
        out.as(type).array(FloatArray.wrap(values));
        ByteBuffer body = ByteBuffer.allocate((int) out.bodyLength()).order(ByteOrder.LITTLE_ENDIAN);
        out.writeBody(body);
        byte[] bytes = new byte[(int) type.bytes(values.length / width, width)];
        body.position(8).get(bytes); // after the entry of the array
        return bytes;
    }

    private static int[] words(byte[] bytes) {
        ByteBuffer padded = ByteBuffer.allocate((bytes.length + 3) & -4).order(ByteOrder.LITTLE_ENDIAN);
        padded.put(bytes);
        int[] words = new int[padded.capacity() / 4];
        padded.clear().asIntBuffer().get(words);
        return words;
    }

    private static int[] bits(float[] values) {
        int[] bits = new int[values.length];
        for (int i = 0; i < bits.length; i++) {
            bits[i] = Float.floatToRawIntBits(values[i]);
        }
        return bits;
    }

    @ParameterizedTest
    @EnumSource(Order.class)
    void bytesWithFactorsAreThoseOfTheCodec(Order order) {
        try (HostKernels kernels = new HostKernels(order, 1)) {
            for (int width : WIDTHS) {
                int block = FloatType.block(width);
                for (int rows : new int[] {1, 5, 256, 700}) {
                    Random random = new Random(rows);
                    int n = rows * width;
                    float[] values = values(random, n, block);
                    byte[] expected = onTheWire(values, width, FloatType.INT8);
                    int blocks = (n + block - 1) / block;
                    long encoded = kernels.allocate(expected.length);
                    long bytes = encoded + 4L * blocks;
                    kernels.launch("psf_encode_bytes", kernels.copy(values), (long) n, block, encoded, bytes);
                    int whole = expected.length & -4;
                    assertThat(kernels.ints(encoded, whole / 4))
                            .as("%s rows of %s", rows, width)
                            .startsWith(java.util.Arrays.copyOf(words(expected), whole / 4));

                    ByteBuffer memory = ByteBuffer.allocateDirect(expected.length);
                    FloatArray view =
                            ArrayMemory.viewBlocks(memory.put(expected).flip(), block, n);
                    int first = random.nextInt(n); // a piece may begin within a block
                    long into = kernels.allocate(4L * (n - first));
                    long of = kernels.copy(words(expected));
                    kernels.launch(
                            "psf_decode_bytes",
                            of + 4L * blocks + first,
                            of + 4L * (first / block),
                            block,
                            first % block,
                            into,
                            (long) (n - first));
                    assertThat(kernels.ints(into, n - first))
                            .as("%s rows of %s", rows, width)
                            .isEqualTo(bits(view.slice(first, n).toArray()));
                }
            }
        }
    }

    /** Values between halves, half-way ones, infinities, subnormal ones, and the NaN of Java. */
    @ParameterizedTest
    @EnumSource(
            value = FloatType.class,
            names = {"FLOAT16", "BFLOAT16"})
    void halvesAreThoseOfTheCodecToTheBit(FloatType type) {
        int n = 3 << 16;
        float[] values = new float[n];
        for (int i = 0; i < 1 << 16; i++) {
            short half = (short) i;
            ByteBuffer one =
                    ByteBuffer.allocate(2).order(ByteOrder.LITTLE_ENDIAN).putShort(0, half);
            float exact = ArrayMemory.view(one, type).get(0);
            values[3 * i] = Float.isNaN(exact) ? Float.NaN : exact;
            int between = type == FloatType.BFLOAT16 ? 0x8000 : 0x1000;
            values[3 * i + 1] = Float.isNaN(exact)
                    ? Float.NEGATIVE_INFINITY
                    : Float.intBitsToFloat(Float.floatToRawIntBits(exact) + between);
            values[3 * i + 2] = Float.isNaN(exact) ? 65519.996f : Math.nextUp(values[3 * i + 1]);
            values[3 * i + 1] = Float.isNaN(values[3 * i + 1]) ? Float.NaN : values[3 * i + 1];
            values[3 * i + 2] = Float.isNaN(values[3 * i + 2]) ? Float.NaN : values[3 * i + 2];
        }
        try (HostKernels kernels = new HostKernels(Order.SHUFFLED, 1)) {
            long encoded = kernels.allocate(2L * n);
            kernels.launch("psf_encode", encoded, 0L, kernels.copy(values), (long) n, type.ordinal());
            byte[] expected = onTheWire(values, 1, type);
            assertThat(kernels.ints(encoded, n / 2)).isEqualTo(words(expected));
            long into = kernels.allocate(4L * n);
            kernels.launch("psf_decode", encoded, 0L, into, (long) n, type.ordinal());
            FloatArray view = ArrayMemory.view(ByteBuffer.wrap(expected), type);
            assertThat(kernels.ints(into, n)).isEqualTo(bits(view.toArray()));
        }
    }
}
