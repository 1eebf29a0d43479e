package io.psf.examples.demo;

import java.util.Arrays;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the name of an optimizer. */
final class OptimizerConverter implements ITypeConverter<DemoOptimizer> {
    @Override
    public DemoOptimizer convert(String value) {
        return Arrays.stream(DemoOptimizer.values())
                .filter(each -> each.toString().equals(value))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException(value + " (expected: "
                        + Arrays.stream(DemoOptimizer.values())
                                .map(DemoOptimizer::toString)
                                .collect(Collectors.joining(", "))
                        + ")"));
    }
}
