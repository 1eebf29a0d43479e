package io.psf.examples.plot;

import java.util.List;

/**
 * A line of a picture.
 *
 * @param name its name in the legend
 * @param axis the title of its axis, with the unit; curves with the same one share the axis
 * @param points its points, at least one
 */
public record Curve(String name, String axis, List<Point> points) {
    public Curve {
        points = List.copyOf(points);
        if (points.isEmpty()) {
            throw new IllegalArgumentException("points of " + name + ": none (expected: at least one)");
        }
    }
}
