package io.psf.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
