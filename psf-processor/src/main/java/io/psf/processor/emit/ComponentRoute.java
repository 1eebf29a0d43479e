package io.psf.processor.emit;

import com.palantir.javapoet.CodeBlock;
import io.psf.processor.model.Component;
import io.psf.processor.model.FunctionModel;
import io.psf.processor.model.Layout;

/** Generates the partition of one component of the request: the code that describes it, and the code that writes it. */
interface ComponentRoute {
    /** The order in which components are described: components that others go along are first. */
    enum Turn {
        KEYS,
        ROWS,
        RAGGED,
        NONE
    }

    /** Returns the turn in which the component is described. */
    Turn turn();

    /** Returns the statements that describe the component to the routing. */
    CodeBlock route();

    /** Returns the statements that write a part's share of the component. */
    CodeBlock write(ValueEmitter values);

    /** Returns the partition of a component's layout. */
    static ComponentRoute of(Component each, FunctionModel model, Constants constants) {
        Layout layout = each.layout();
        if (layout instanceof Layout.ByKey byKey) {
            return new KeysRoute(each, byKey, constants);
        } else if (layout instanceof Layout.ElementsByKey elements) {
            return new ElementsRoute(each, elements, constants);
        } else if (layout instanceof Layout.ByRange byRange) {
            return new RangeRoute(new RoutedArray(each, constants), byRange);
        } else if (layout instanceof Layout.AlongKeys along) {
            int since = model.request().stream()
                    .filter(other -> other.layout().keySet() == along.set())
                    .mapToInt(Component::since)
                    .findFirst()
                    .orElse(1);
            return new AlongRoute(new RoutedArray(each, constants), along, since);
        } else if (layout instanceof Layout.Ragged ragged) {
            int since = model.request().get(ragged.index()).since();
            return new RaggedRoute(new RoutedArray(each, constants), ragged, since);
        }
        return new WholeRoute(each);
    }
}
