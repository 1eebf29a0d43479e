package good;

import io.psf.api.spi.Binding;
import io.psf.api.spi.Function;
import io.psf.api.spi.HandlerProvider;
import io.psf.api.spi.ListedProvider;
import javax.annotation.processing.Generated;

/**
 * Provides the default body of {@link OnDevice} to a server.
 */
@Generated("io.psf.processor.PsfProcessor")
@ListedProvider
public final class OnDevicePsfProvider implements HandlerProvider {
    @Override
    public Function<?, ?> function() {
        return OnDevicePsf.FUNCTION;
    }

    @Override
    public String handler() {
        return "good.OnDevice";
    }

    @Override
    public Binding<?, ?> binding() {
        return OnDevicePsf.bind(new OnDevice() {});
    }

    @Override
    public boolean isDefault() {
        return true;
    }
}
