package io.psf.examples.demo;

import java.util.Arrays;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses {@code sync} or {@code async}. */
final class ModeConverter implements ITypeConverter<TrainingOptions.Mode> {
    @Override
    public TrainingOptions.Mode convert(String word) {
        return Arrays.stream(TrainingOptions.Mode.values())
                .filter(mode -> mode.toString().equals(word))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException(word + " (expected: sync or async)"));
    }
}
