//! Kernels that may be launched before the kernel in front of them has ended.

/// Makes kernels, as `pregel-build` writes them, wait: from compute capability 9.0 on, an
/// instruction can hold a kernel back until the one in front of it in the queue has ended and
/// all that it wrote can be read. A kernel that begins with this instruction may be launched
/// before. Calls `put` with one part after the other of the text that devices from 9.0 on load.
/// Returns whether there is one: the target must be `sm_80`, and every kernel must have a body.
/// O(length of the text).
///
/// ```
/// use pregel_core::device::waiting;
/// let text = ".version 7.8\n.target sm_80\n\n.visible .entry p__init()\n{\n\tret;\n}\n";
/// let mut found = String::new();
/// assert!(waiting(text, |part| found.push_str(part)));
/// assert!(found.contains("\n.target sm_90\n"));
/// assert!(found.ends_with("()\n{\n\tgriddepcontrol.wait;\n\tret;\n}\n"));
/// ```
pub fn waiting(text: &str, mut put: impl FnMut(&str)) -> bool {
    const ENTRY: &str = ".entry ";
    const BODY: &str = "\n{\n";
    let Some((head, kernels)) = text.split_once("\n.target sm_80\n") else { return false };
    [head, "\n.target sm_90\n"].into_iter().for_each(&mut put);
    let mut kernels = kernels.split(ENTRY);
    kernels.next().into_iter().for_each(&mut put);
    kernels.all(|kernel| {
        let Some((parameters, body)) = kernel.split_once(BODY) else { return false };
        let parts = [ENTRY, parameters, BODY, "\tgriddepcontrol.wait;\n", body];
        parts.into_iter().for_each(&mut put);
        true
    })
}

#[cfg(test)]
mod tests {
    use super::waiting;

    const TEXT: &str = "// made\n.version 7.8\n.target sm_80\n.address_size 64\n\n\
        .visible .entry p__one(\n\t.param .b64 p\n)\n.maxntid 256, 1, 1\n{\n\
        \t.reg .b32 %r<2>;\n\tret;\n}\n\n.visible .entry p__two()\n{\n\tret;\n}\n";

    #[test]
    fn every_kernel_waits_before_it_does_anything() {
        let mut found = String::new();
        assert!(waiting(TEXT, |part| found.push_str(part)));
        let expected = "// made\n.version 7.8\n.target sm_90\n.address_size 64\n\n\
            .visible .entry p__one(\n\t.param .b64 p\n)\n.maxntid 256, 1, 1\n{\n\
            \tgriddepcontrol.wait;\n\t.reg .b32 %r<2>;\n\tret;\n}\n\n\
            .visible .entry p__two()\n{\n\tgriddepcontrol.wait;\n\tret;\n}\n";
        assert_eq!(found, expected);
    }

    #[test]
    fn what_is_written_otherwise_does_not_wait() {
        for text in [TEXT.replace("sm_80", "sm_90"), TEXT.replace("()\n{", "() {")] {
            assert!(!waiting(&text, |_| ()), "{text}");
        }
    }
}
