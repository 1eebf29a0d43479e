package good;

import io.psf.api.spi.Binding;
import io.psf.api.spi.Function;
import io.psf.api.spi.HandlerProvider;
import io.psf.api.spi.ListedProvider;
import javax.annotation.processing.Generated;

/**
 * Provides {@link Kinds.OfDevice} to a server.
 */
@Generated("io.psf.processor.PsfProcessor")
@ListedProvider
public final class Kinds_OfDevicePsfProvider implements HandlerProvider {
    @Override
    public Function<?, ?> function() {
        return AxpyPsf.FUNCTION;
    }

    @Override
    public String handler() {
        return "good.Kinds$OfDevice";
    }

    @Override
    public Binding<?, ?> binding() {
        Kinds.OfDevice handler = new Kinds.OfDevice();
        return Binding.shard(AxpyPsf.FUNCTION, OnDevice.DeviceShard.class, handler,
                handler::handle);
    }

    @Override
    public int preference() {
        return 3;
    }
}
