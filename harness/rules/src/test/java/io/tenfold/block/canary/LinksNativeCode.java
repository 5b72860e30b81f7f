package io.tenfold.block.canary;

import java.lang.foreign.Linker;

/** Links native code on purpose. */
public final class LinksNativeCode {
    /** Native code outside its module. */
    public Object linker() {
        return Linker.nativeLinker();
    }
}
