package io.psf.kvstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.optimizer.Add;
import io.psf.builtin.optimizer.TiledOptimizer;
import io.psf.testkit.TestShard;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CompressionTest {
    private static final TensorId W = TensorId.of("w");

    @Test
    void sixteenCodesOfTwoBitsAreAWord() {
        float[] residual = new float[17];
        float[] gradient = new float[17];
        gradient[0] = 0.5f;
        gradient[1] = -0.5f;
        gradient[2] = 0.4f;
        gradient[15] = 7;
        gradient[16] = -7;
        int[] codes = new int[3];
        assertThat(Compression.TWO_BIT.encode(gradient, residual, 0, 17, 0.5f, codes, 0))
                .isEqualTo(2);
        assertThat(codes).containsExactly(0b01 | 0b10 << 2 | 0b01 << 30, 0b10, 0);
        assertThat(residual[0]).isZero();
        assertThat(residual[2]).isEqualTo(0.4f);
        assertThat(residual[15]).isEqualTo(6.5f);
        assertThat(residual[16]).isEqualTo(-6.5f);
        assertThat(Compression.TWO_BIT.words(16)).isEqualTo(1);
        assertThat(Compression.ONE_BIT.words(33)).isEqualTo(2);
    }

    @Test
    void codesFollowTheDefinitionAtTheEdges() {
        float[] elements = {
            0,
            -0f,
            0.5f,
            -0.5f,
            Math.nextDown(0.5f),
            Math.nextUp(-0.5f),
            Math.nextUp(0.5f),
            1e30f,
            -1e30f,
            Float.MIN_VALUE,
            -Float.MIN_VALUE,
            Float.MAX_VALUE,
            -Float.MAX_VALUE,
            Float.POSITIVE_INFINITY,
            Float.NEGATIVE_INFINITY
        };
        for (float threshold : new float[] {0.5f, Float.MIN_VALUE, Float.MAX_VALUE}) {
            for (float r : elements) {
                float sent = r >= threshold ? threshold : r <= -threshold ? -threshold : 0;
                int code = Compression.TWO_BIT.code(r, threshold);
                assertThat(code).as("2 bits of %s", r).isEqualTo(r >= threshold ? 1 : r <= -threshold ? 2 : 0);
                assertThat(Compression.TWO_BIT.update(code, threshold)).isEqualTo(sent);
            }
        }
        for (float threshold : new float[] {0, 0.5f, -0.5f, Float.MIN_VALUE, Float.MAX_VALUE, -Float.MAX_VALUE}) {
            for (float r : elements) {
                int code = Compression.ONE_BIT.code(r, threshold);
                assertThat(code).as("1 bit of %s, %s", r, threshold).isEqualTo(r > threshold ? 1 : 0);
                assertThat(Compression.ONE_BIT.update(code, threshold)).isEqualTo(r > threshold ? 1 : -1);
            }
        }
    }

    /** What is sent and what remains are together what was pushed; steps of 1/8 add up exactly. */
    @ParameterizedTest
    @EnumSource(Compression.class)
    void whatIsSentAndTheResidualAddUpToTheGradients(Compression compression) {
        Random random = new Random(7);
        int n = 1000;
        float[] residual = new float[n];
        float[] pushed = new float[n];
        float[] sent = new float[n];
        for (int round = 0; round < 20; round++) {
            float[] gradient = new float[n];
            for (int i = 0; i < n; i++) {
                gradient[i] = (random.nextInt(17) - 8) / 8f;
                pushed[i] += gradient[i];
            }
            int[] codes = new int[compression.words(n)];
            compression.encode(gradient, residual, 0, n, 0.5f, codes, 0);
            float[] decoded = compression.decode(IntArray.wrap(codes), n, 0.5f);
            for (int i = 0; i < n; i++) {
                sent[i] += decoded[i];
            }
        }
        for (int i = 0; i < n; i++) {
            assertThat(sent[i] + residual[i]).isEqualTo(pushed[i]);
        }
    }

    @Test
    void codesOfAnotherSliceOrLengthAreRefused() {
        TestShard shard =
                TestShard.whole(20, 1, new TiledOptimizer("add", new Add(1))).from(0);
        PushCodes function = new PushCodes() {};
        assertThatThrownBy(() -> function.handle(request(LongArray.of(3), IntArray.of(0, 0)), shard))
                .isInstanceOf(PsException.class)
                .hasMessageContaining("first rows")
                .hasMessageContaining("expected: 0");
        assertThatThrownBy(() -> function.handle(request(LongArray.of(0), IntArray.of(0)), shard))
                .hasMessageContaining("codes: 1 words (expected: 2, for 20 elements)");
    }

    private static PushCodes.Request request(LongArray slices, IntArray codes) {
        return new PushCodes.Request(W, Compression.TWO_BIT, 0.5f, slices, IntArray.of(codes.length()), codes);
    }
}
