//! Taints, tolerations and host ports: `key=value:NoSchedule`, `key:NoExecute`, `key>5`, `*`,
//! `8080`, `127.0.0.1:53/udp`.

use super::Read;
use scheduler_model::spec::{
    HostPort, Protocol, Taint, TaintEffect, Toleration, TolerationOperator,
};

/// The text before the effect, and the effect if there is one.
fn split_effect(text: &str) -> Result<(&str, Option<TaintEffect>), String> {
    let Some((head, word)) = text.rsplit_once(':') else {
        return Ok((text, None));
    };
    let effect = match word {
        "NoSchedule" => TaintEffect::NoSchedule,
        "PreferNoSchedule" => TaintEffect::PreferNoSchedule,
        "NoExecute" => TaintEffect::NoExecute,
        _ => {
            return Err(format!(
                "{text:?}: the effect is NoSchedule, PreferNoSchedule or NoExecute"
            ));
        }
    };
    Ok((head, Some(effect)))
}

impl Read for Taint {
    fn read(text: &str) -> Result<Self, String> {
        let (head, Some(effect)) = split_effect(text)? else {
            return Err(format!("{text:?} is no taint; write it like key=value:NoSchedule"));
        };
        let (key, value) = head.split_once('=').unwrap_or((head, ""));
        if key.is_empty() {
            return Err(format!("the taint {text:?} has no key"));
        }
        Ok(Self { key: key.to_owned(), value: value.to_owned(), effect })
    }
}

impl Read for Toleration {
    fn read(text: &str) -> Result<Self, String> {
        let (head, effect) = split_effect(text)?;
        let parts = [
            ('=', TolerationOperator::Equal),
            ('>', TolerationOperator::Gt),
            ('<', TolerationOperator::Lt),
        ];
        let found = parts.into_iter().find_map(|(sign, operator)| {
            head.split_once(sign).map(|(key, value)| (key, operator, value))
        });
        let (key, operator, value) = match found {
            Some(parts) => parts,
            None if head == "*" => ("", TolerationOperator::Exists, ""),
            None => (head, TolerationOperator::Exists, ""),
        };
        if key.is_empty() && head != "*" {
            return Err(format!("the toleration {text:?} has no key; * tolerates every key"));
        }
        Ok(Self { key: key.to_owned(), operator, value: value.to_owned(), effect })
    }
}

impl Read for HostPort {
    fn read(text: &str) -> Result<Self, String> {
        let bad = || format!("{text:?} is no host port; write it like 8080 or 127.0.0.1:53/udp");
        let (head, protocol) = text.split_once('/').unwrap_or((text, "tcp"));
        let (ip, port) = head.rsplit_once(':').unwrap_or(("0.0.0.0", head));
        let protocol = match protocol.to_ascii_lowercase().as_str() {
            "tcp" => Protocol::Tcp,
            "udp" => Protocol::Udp,
            "sctp" => Protocol::Sctp,
            _ => return Err(bad()),
        };
        let port = port.parse::<u16>().map_err(|_| bad())?;
        Ok(Self { ip: ip.to_owned(), protocol, port: i32::from(port) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taints_have_a_key_an_effect_and_perhaps_a_value() {
        let taint = Taint::read("gpu=a100:NoExecute").unwrap();
        assert_eq!((taint.key.as_str(), taint.value.as_str()), ("gpu", "a100"));
        assert_eq!(taint.effect, TaintEffect::NoExecute);
        assert_eq!(Taint::read("a:PreferNoSchedule").unwrap().value, "");
        for text in ["a", "a=b", "=b:NoSchedule", "a:Never"] {
            assert!(Taint::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn tolerations_compare_or_accept_every_value() {
        let read = |text| {
            let Toleration { key, operator, value, effect } = Toleration::read(text).unwrap();
            (key, operator, value, effect)
        };
        let text = str::to_owned;
        use TolerationOperator::{Equal, Exists, Gt, Lt};
        assert_eq!(read("a=b"), (text("a"), Equal, text("b"), None));
        assert_eq!(
            read("a:NoSchedule"),
            (text("a"), Exists, text(""), Some(TaintEffect::NoSchedule))
        );
        assert_eq!(read("a>5"), (text("a"), Gt, text("5"), None));
        assert_eq!(read("a<5"), (text("a"), Lt, text("5"), None));
        assert_eq!(read("*"), (text(""), Exists, text(""), None));
        assert!(Toleration::read("=b").is_err());
    }

    #[test]
    fn host_ports_default_to_every_address_and_tcp() {
        let port = HostPort::read("8080").unwrap();
        assert_eq!((port.ip.as_str(), port.protocol, port.port), ("0.0.0.0", Protocol::Tcp, 8080));
        let port = HostPort::read("127.0.0.1:53/UDP").unwrap();
        assert_eq!((port.ip.as_str(), port.protocol, port.port), ("127.0.0.1", Protocol::Udp, 53));
        assert_eq!(HostPort::read("::1:9/sctp").unwrap().ip, "::1");
        assert!(HostPort::read("99999").is_err());
        assert!(HostPort::read("80/icmp").is_err());
    }
}
