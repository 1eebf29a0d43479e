package io.psf.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TensorLayoutTest {
    private static TensorLayout of(long rows) {
        return TensorLayout.even(new TensorInfo(TensorId.of("w"), rows, 4), new int[] {0, 1});
    }

    @Test
    void theLengthIsThatOfAllRows() {
        assertThat(of(10).length(4)).isEqualTo(40);
        assertThat(of(Integer.MAX_VALUE - 8).length(1)).isEqualTo(Integer.MAX_VALUE - 8);
    }

    @Test
    void theFirstServerOfASliceAnswersItsCalls() {
        TensorLayout alone = of(10).declaredIn(3);
        assertThat(alone.servers(1)).containsExactly(1);
        TensorLayout copied = alone.movedIn(5, List.of(2, 1), List.of(List.of(0, 3), List.of()));
        assertThat(copied.server(0)).isEqualTo(2);
        assertThat(copied.servers(0)).containsExactly(2, 0, 3);
        assertThat(copied.servers(1)).containsExactly(1);
        assertThat(alone.movedIn(3, alone.servers(), List.of(List.of(), List.of())))
                .as("no slice has others")
                .isEqualTo(alone);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> alone.movedIn(5, alone.servers(), List.of(List.of(2))))
                .withMessage("slices with a list of copies: 1 (expected: 0 or 2, every slice)");
    }

    @Test
    void movedSlicesAreTheSameAndThoseOfATensorDeclaredAgainAreNot() {
        TensorLayout first = of(10).declaredIn(3);
        TensorLayout moved = first.movedIn(5, List.of(1, 0), List.of());
        assertThat(moved.version()).isEqualTo(5);
        assertThat(moved.hasSlicesOf(first)).isTrue();
        assertThat(moved.stamp(0)).isNotEqualTo(first.stamp(0));
        assertThat(of(10).declaredIn(4).hasSlicesOf(first)).isFalse();
        assertThat(of(11).declaredIn(3).hasSlicesOf(first)).isFalse();
    }

    /** A slice that moves from server to server, or back to one, has another stamp there. */
    @Test
    void aSliceHasAnotherStampAtEachServerAndInEachVersion() {
        TensorLayout first = of(10).declaredIn(100);
        int same = 0;
        for (int version = 101; version < 1101; version++) {
            for (int server = 0; server < 16; server++) {
                TensorLayout moved = first.movedIn(version, List.of(server, 1), List.of());
                same += moved.stamp(0) == first.stamp(0) ? 1 : 0;
            }
        }
        assertThat(same).as("of 16,000 places, by chance 16000 / 65536").isLessThanOrEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1})
    void aRowHasElements(int width) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> of(10).length(width))
                .withMessage("width: " + width + " (expected: >= 1)");
    }

    @Test
    void aLengthThatNoArrayHasIsRefused() {
        assertThatThrownBy(() -> of(Integer.MAX_VALUE - 7).length(1))
                .isInstanceOf(PsException.class)
                .hasMessageContaining("BAD_REQUEST: elements of the whole tensor: 2147483640 rows x 1 wide");
        assertThatThrownBy(() -> of(TensorInfo.GROWING).length(1))
                .isInstanceOf(PsException.class)
                .hasMessageContaining("which grows");
    }
}
