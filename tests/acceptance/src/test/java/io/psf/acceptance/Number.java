package io.psf.acceptance;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;

/** Gives numbers, each once in the cluster. */
@SuppressWarnings("JavaLangClash")
@PsFunction(value = "acceptance.number", at = Place.SCHEDULER)
interface Number {
    record Request() {}

    record Response(int number) {}

    final class Last {
        private int number;
    }

    default Response handle(Request request, Node scheduler) {
        return new Response(++scheduler.attachment("acceptance.number", Last.class, Last::new).number);
    }
}
