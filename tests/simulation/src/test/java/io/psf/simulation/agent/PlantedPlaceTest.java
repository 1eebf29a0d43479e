package io.psf.simulation.agent;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs on any JDK: the classes are read, not loaded. */
@Timeout(60)
class PlantedPlaceTest {
    private static void require(Plant plant) {
        PlantedPlace.require(plant, PlantedPlaceTest.class.getClassLoader());
    }

    private static Plant plant(String owner, String method, @Nullable String call) {
        return new Plant("wrong", "sums", "nothing", "io/psf/runtime/" + owner, method, call, null);
    }

    @ParameterizedTest
    @MethodSource("io.psf.simulation.agent.Plant#all")
    void everyDefectHasItsPlace(Plant plant) {
        assertThatCode(() -> require(plant)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource({
        "Timers, close,, class io.psf.runtime.Timers (expected: a class of psf)",
        "Timer, closed,, method io.psf.runtime.Timer.closed (expected: a method with code)",
        "Timer, close, force, call of force in io.psf.runtime.Timer.close (expected: such a call)"
    })
    void aDefectWithoutItsPlaceIsRefused(String owner, String method, @Nullable String call, String expected) {
        assertThatThrownBy(() -> require(plant(owner, method, call)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("planted defect wrong: " + expected);
    }

    @Test
    void aMethodWithoutCodeIsRefused() {
        assertThatThrownBy(() -> require(plant("spi/transport/Transport", "connect", null)))
                .hasMessageContaining("method io.psf.runtime.spi.transport.Transport.connect");
    }
}
